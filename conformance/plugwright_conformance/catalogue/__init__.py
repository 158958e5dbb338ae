"""What a check is, which checks each level asks for, and what a check may reach for."""
