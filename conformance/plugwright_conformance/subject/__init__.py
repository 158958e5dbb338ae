"""What is certified: a connector class, its declaration, its endpoint, and what surrounds them."""
