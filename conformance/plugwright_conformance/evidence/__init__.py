"""What a check ends in, and what it has to show for it."""
