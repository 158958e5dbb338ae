"""The subject of a run: a connector class, its declaration and its endpoint."""
