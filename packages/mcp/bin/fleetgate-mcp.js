#!/usr/bin/env node
import { main } from './main.js'

// Node opens a debugger at SIGUSR1, and whoever reaches its port runs code here. With a listener it does not.
process.on('SIGUSR1', () => {})
await main('fleetgate-mcp', process.argv.slice(2))
