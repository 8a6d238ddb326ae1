#!/usr/bin/env node
import { main } from '../dist/pull/main.js'

await main('fleetgate-pull', process.argv.slice(2))
