"""What is over, taken back or another one by now, and which earlier statement that ends."""
