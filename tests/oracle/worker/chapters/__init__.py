"""The conversation in chapters."""
