"""A text before anything of it is understood: its sentences, questions and passages, folded, with the way back."""
