"""Days and times as texts and questions name them."""
