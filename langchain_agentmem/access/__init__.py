"""Who may do what with whose memory: an application's rule, asked before every read, write, export and erasure."""
