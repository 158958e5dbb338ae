#!/bin/bash
# Starts a worker, or the executor that Spark's Kubernetes backend asks for.
#
#   entrypoint.sh worker [FILE]   a distributed worker, with the settings of the file (by default
#                                 /etc/plugwright/worker.properties) and of $WORKER_SETTINGS
#   entrypoint.sh executor        what Spark gives as argument of an executor's container
#   entrypoint.sh COMMAND...      any other command
set -euo pipefail

executor() {
    # SPARK_JAVA_OPT_0, SPARK_JAVA_OPT_1, ... contain one option each.
    local options=() number=0 name=SPARK_JAVA_OPT_0
    while [[ -v "$name" ]]; do
        options+=("${!name}")
        number=$((number + 1))
        name="SPARK_JAVA_OPT_$number"
    done
    local classes="${SPARK_CONF_DIR:-$SPARK_HOME/conf}:${SPARK_CLASSPATH:+$SPARK_CLASSPATH:}$SPARK_HOME/jars/*"
    echo "$$" >"${TMPDIR:-/tmp}/executor.pid" # for decommission.sh
    # Spark looks for the file of spark.authenticate.secret.file only if it knows that this is
    # Kubernetes, which it tells executors too late; the driver then names the real master.
    exec java "${options[@]}" -Dspark.master=k8s://unknown \
        "-Xms$SPARK_EXECUTOR_MEMORY" "-Xmx$SPARK_EXECUTOR_MEMORY" \
        -cp "$classes" \
        org.apache.spark.scheduler.cluster.k8s.KubernetesExecutorBackend \
        --driver-url "$SPARK_DRIVER_URL" \
        --executor-id "$SPARK_EXECUTOR_ID" \
        --cores "$SPARK_EXECUTOR_CORES" \
        --app-id "$SPARK_APPLICATION_ID" \
        --hostname "$SPARK_EXECUTOR_POD_IP" \
        --resourceProfileId "$SPARK_RESOURCE_PROFILE_ID" \
        --podName "$SPARK_EXECUTOR_POD_NAME"
}

worker() {
    local settings="${TMPDIR:-/tmp}/worker.properties"
    { cat "$1" && printf '\n%s\n' "${WORKER_SETTINGS:-}"; } >"$settings"
    exec connect-distributed "$settings"
}

case "${1:-worker}" in
worker) worker "${2:-/etc/plugwright/worker.properties}" ;;
executor) executor ;;
*) exec "$@" ;;
esac
