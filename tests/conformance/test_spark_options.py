"""Options that name a cluster."""

from __future__ import annotations

import argparse
from types import SimpleNamespace

import pytest

from plugwright.errors import ConfigError
from plugwright_conformance.commands.spark_options import add_spark, read_spark
from plugwright_conformance.execution.options import RunOptions
from plugwright_conformance.live.spark_cluster import SparkChoice


@pytest.fixture
def read(tmp_path):
    """Reads options, with this text of a worker's file if there is one."""

    def read(*words, text=None):
        parser = argparse.ArgumentParser()
        add_spark(parser)
        if text is not None:
            file = tmp_path / "worker.properties"
            file.write_text(text, "utf-8")
            words = (*words, "--worker-config", str(file))
        return read_spark(parser.parse_args(words))

    return read


def test_without_options_tasks_run_here(read):
    """As ever."""
    assert read() == SparkChoice()


def test_master_alone_is_enough(read):
    """For a cluster whose network is private."""
    assert read("--spark-master", "spark://m:7077") == SparkChoice("spark://m:7077")


def test_of_a_workers_file_what_concerns_spark_counts(read):
    """Nothing else is even looked at; the option goes before the file's master."""
    text = "bootstrap.servers=\nspark.master=spark://a:1\nspark.executor.cores=2\n"
    text += "plugin.distribution=Present\nkey.converter=No.Such\n"

    cores = {"spark.executor.cores": "2"}
    assert read(text=text) == SparkChoice("spark://a:1", cores, "present")
    assert read("--spark-master", "yarn", text=text) == SparkChoice("yarn", cores, "present")


def test_secrets_come_from_config_providers(read, tmp_path):
    """As for the worker itself."""
    (tmp_path / "secret.properties").write_text("secret=s3cret-s3cret\n", "utf-8")
    provider = "org.apache.kafka.common.config.provider.FileConfigProvider"
    text = f"config.providers=file\nconfig.providers.file.class={provider}\n"
    text += f"spark.authenticate.secret=${{file:{tmp_path}/secret.properties:secret}}\n"

    assert read(text=text).settings == {"spark.authenticate.secret": "s3cret-s3cret"}


def test_wrong_distribution_is_refused(read):
    """With the name of the setting."""
    with pytest.raises(ConfigError, match=r"plugin\.distribution"):
        read(text="plugin.distribution=send\n")


def test_command_of_a_run_names_the_cluster_again(tmp_path):
    """By the file, and so without the secrets in it."""
    descriptor = SimpleNamespace(class_name="a.B")
    subject = SimpleNamespace(given="loc", descriptor=descriptor, name=descriptor.class_name)
    options = RunOptions(
        seed="ab", spark_master="spark://m:7077", worker_config=tmp_path / "worker.properties"
    )

    assert options.command(subject).endswith(
        f" --spark-master spark://m:7077 --worker-config {tmp_path}/worker.properties"
    )
    assert "--spark-master" not in RunOptions(seed="ab").command(subject)
