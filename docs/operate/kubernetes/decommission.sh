#!/bin/bash
# Runs in an executor's container before Kubernetes stops it (preStop): Spark decommissions the
# executor. Its tasks move to other executors, and it ends when the last one has left.
set -euo pipefail
file="${TMPDIR:-/tmp}/executor.pid"
[[ -f "$file" ]] || exit 0
process=$(<"$file")
kill -s PWR "$process" 2>/dev/null || exit 0
while kill -0 "$process" 2>/dev/null; do
    sleep 0.2
done
