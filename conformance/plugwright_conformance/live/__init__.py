"""The live system: a Kafka broker, Spark, and connectors running on them."""
