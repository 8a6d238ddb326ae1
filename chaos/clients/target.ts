import type { Server } from '../../acceptance/harness/server.ts'
import type { Finding } from '../part.ts'
import type { Install } from './install.ts'

/** What is attacked. */
export type Target = { server: Server; install: Install; feedPort: number; adminPort: number }

/** One way for clients to be a burden. */
export type Attack = {
  name: string
  run(target: Target): Promise<Finding[]>
}

/** Descriptors that come and go with the healthy requests: of their keep-alive connections, and files. */
export const LOOSE_DESCRIPTORS = 70
