"""Controls of the suite itself: good connectors that must pass, broken ones that must not."""
