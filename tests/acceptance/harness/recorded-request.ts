import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { REPOSITORY } from './fleetgate.ts'

const FOLDER = join(REPOSITORY, 'packages/server/testing/feed-format/fixtures')

/** The settings of a client change only its path and one header. */
export type Setting = {
  /** Replaces the recorded path `/`. */
  path: string
  header?: string
}

/** The bytes of a recorded request as the client would send them to this server. */
export function recordedRequest(name: string, { path, header }: Setting): Buffer {
  const recorded = readFileSync(join(FOLDER, `${name}.http`), 'latin1')
  const [line = '', ...rest] = recorded.split('\r\n')
  const lines = [line.replace(/ \/(?=[ ?])/, ` ${path}`), ...(header ? [header] : []), ...rest]
  return Buffer.from(lines.join('\r\n'), 'latin1')
}
