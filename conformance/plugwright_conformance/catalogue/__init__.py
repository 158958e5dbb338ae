"""The interface of checks, their register, and the profiles of levels."""
