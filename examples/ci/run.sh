# Runs the tests next to this file against a server of their own. Run it with bash, in a checkout after `npm ci`.
set -e
trap 'kill $(jobs -p)' EXIT

fleetgate() { npx fleetgate "$@"; }
key() { fleetgate key issue --data ci --org 1 --test --scenario "$1" --json | node -p 'JSON.parse(require("fs").readFileSync(0)).key'; }

fleetgate org create CI --data ci
export STANDARD_KEY=$(key standard) LIMITED_KEY=$(key limited) CUT_KEY=$(key cut)
npx fleetgate serve --data ci > server.log &
until curl --silent --fail http://127.0.0.1:7070/public/v1/ping; do sleep 0.2; done

node --test "$(dirname "$0")/fleet.test.mjs"
