import type { ServerProcess } from '../../acceptance/harness/server.ts'
import type { Finding } from '../part.ts'
import type { Install } from './install.ts'

/** The target of the attacks. */
export type Target = {
  server: ServerProcess
  install: Install
  feedPort: number
  adminPort: number
}

/** One way in which clients can burden a server. */
export type Attack = {
  name: string
  run(target: Target): Promise<Finding[]>
}

/** Descriptors that vary with the healthy requests: their keep-alive connections, and files. */
export const LOOSE_DESCRIPTORS = 70
