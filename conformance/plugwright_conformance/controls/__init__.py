"""Controls of the suite: good connectors that must pass, broken ones that must fail."""
