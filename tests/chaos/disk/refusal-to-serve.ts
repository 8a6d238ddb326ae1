import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { BIN } from '../../acceptance/harness/fleetgate.ts'
import type { Finding } from '../part.ts'

/** The user `nobody`, who owns no files. */
const NOBODY = 65_534
const PATIENCE_MS = 30_000

/** The end of a server that cannot serve a folder. */
export type Refusal = {
  code: number | null
  stderr: string
  /** The server has ended, with one sentence that names the folder and the remedy. */
  finding(what: string, folder: string, says: RegExp): Finding
}

/** Starts a server that should refuse, as the user `as`. Ends one that does not refuse. */
export async function refusalToServe(folder: string, as?: 'nobody'): Promise<Refusal> {
  const ports = ['--port', '0', '--admin-port', '0', '--feed-port', '0', '--geocoder', 'off']
  const user = as === undefined ? {} : { uid: NOBODY, gid: NOBODY }
  const child = spawn(process.execPath, [BIN, 'serve', '--data', folder, ...ports], {
    ...user,
    env: { PATH: process.env.PATH, NO_COLOR: '1' },
    stdio: ['ignore', 'ignore', 'pipe'],
    timeout: PATIENCE_MS,
    killSignal: 'SIGKILL',
  })
  const output = text(child.stderr)
  const [code] = await once(child, 'exit')
  const stderr = (await output).trim()
  return {
    code,
    stderr,
    finding(what, named, says) {
      const isOneSentence = /^fleetgate: [^\n]+$/.test(stderr)
      const met = code === 1 && isOneSentence && stderr.includes(named) && says.test(stderr)
      const shown = stderr.replaceAll(named, '/var/lib/fleetgate').slice(0, 300)
      return {
        what,
        bar: 'exit code 1; a sentence that names the folder and says what to do',
        measured: `${code}: ${shown}`,
        met,
      }
    },
  }
}
