#!/usr/bin/env node
// Plain JavaScript, so that a Node too old for Fleetgate can still read it and hand over to the
// pinned one, or say what is missing.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import * as module from 'node:module'
import { constants } from 'node:os'
import { dirname, join } from 'node:path'
import { isatty } from 'node:tty'
import { fileURLToPath } from 'node:url'

const MINIMUM_MAJOR = 24

// Node opens a debugger at SIGUSR1, and whoever reaches its port runs code here. With a listener it does not.
process.on('SIGUSR1', () => {})

// A command line is shown to every user of the machine; a password or a key in a URL is not for all of them.
if (process.argv.some((argument) => /:\/\/.*[@?]/s.test(argument))) process.title = 'fleetgate'

// A server that is being loaded has read nothing yet that SIGHUP asks it to read again. Only a closed terminal ends it.
// `openHangUp` of the source takes over.
if (process.argv[2] === 'serve') {
  const terminals = [0, 1, 2].filter((descriptor) => isatty(descriptor))
  process.on('SIGHUP', () => {
    if (terminals.some((descriptor) => !isatty(descriptor))) process.exit(exitCode('SIGHUP'))
  })
}

// The launcher that started this process was killed. What it held, such as a port or a lock, ends with it.
if (process.env.FLEETGATE_LAUNCHED !== undefined) {
  delete process.env.FLEETGATE_LAUNCHED
  process.once('disconnect', () => {
    process.stderr.write('fleetgate: the parent process has ended; this process exits too\n')
    process.exit(1)
  })
  process.channel.unref()
  process.send('takes signals')
}

if (Number(process.versions.node.split('.')[0]) >= MINIMUM_MAJOR) {
  // Reading the source is most of what a short command does, so it is kept compiled; beside the
  // source, where only those who may write that may write it, and not at all where nobody may. From
  // the first file in TypeScript on: what reads that takes longer to load than all the rest.
  module.enableCompileCache(join(import.meta.dirname, '../node_modules/.cache/compiled'))
  // A checkout and the image have the source; the package that npm installs has it compiled.
  const source = new URL('../src/run/main.ts', import.meta.url)
  await import(existsSync(source) ? source.href : '../dist/server/src/run/main.js')
} else {
  const pinned = findPinnedNode(dirname(fileURLToPath(import.meta.url)))
  if (pinned === undefined) {
    process.stderr.write(
      `fleetgate: needs Node.js ${MINIMUM_MAJOR} or newer, this is ${process.version}; run 'npm ci' first, which brings it, or install it.\n`,
    )
    process.exit(1)
  }
  const child = spawn(pinned, process.argv.slice(1), {
    env: { ...process.env, FLEETGATE_LAUNCHED: '1' },
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
  })
  for (const signal of ['SIGTERM', 'SIGINT']) process.on(signal, () => child.kill(signal))
  // Until the child listens for it, SIGHUP would end it.
  const takesSignals = once(child, 'message')
  process.removeAllListeners('SIGHUP')
  process.on('SIGHUP', () => takesSignals.then(() => child.kill('SIGHUP')))
  child.on('exit', (code, signal) => {
    if (signal === null) process.exit(code)
    process.stderr.write(`fleetgate: the process that does the work was ended by ${signal}\n`)
    process.exit(exitCode(signal))
  })
}

/** The exit code that shells have for a signal. */
function exitCode(signal) {
  return 128 + constants.signals[signal]
}

/** The `node` that the lockfile pins, in the nearest node_modules/.bin upwards of `folder`. */
function findPinnedNode(folder) {
  for (let at = folder; ; at = dirname(at)) {
    const candidate = join(
      at,
      'node_modules',
      '.bin',
      process.platform === 'win32' ? 'node.exe' : 'node',
    )
    if (existsSync(candidate)) return candidate
    if (dirname(at) === at) return undefined
  }
}
