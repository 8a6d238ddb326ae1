import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { REPOSITORY } from './fleetgate.ts'

const FOLDER = join(REPOSITORY, 'packages/server/src/feed/formats/fixtures')

/** How a client's settings change what it sends: nothing but where it goes, and one header. */
export type Setting = {
  /** The path in the place of the recorded `/`. */
  path: string
  header?: string
}

/** The bytes of a recorded request as the client would have sent them here. */
export function recordedRequest(name: string, { path, header }: Setting): Buffer {
  const recorded = readFileSync(join(FOLDER, `${name}.http`), 'latin1')
  const [line = '', ...rest] = recorded.split('\r\n')
  const lines = [line.replace(/ \/(?=[ ?])/, ` ${path}`), ...(header ? [header] : []), ...rest]
  return Buffer.from(lines.join('\r\n'), 'latin1')
}
