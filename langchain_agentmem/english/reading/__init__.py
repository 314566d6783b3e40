"""What one statement says, and what two say of each other."""
