"""The live system: a Kafka broker, Spark, and connectors that run there."""
