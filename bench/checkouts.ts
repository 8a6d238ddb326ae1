import { join, resolve } from 'node:path'
import type * as secrets from '../packages/server/src/base/access/secret.ts'
import type { openStore } from '../packages/server/src/run/compose.ts'
import { BIN } from './child-server.ts'
import type { addDrivers } from './drive.ts'
import { given } from './report.ts'

/** A checkout with the parts that fill a data folder: another one may have an older schema. */
export type Checkout = {
  /** As given on the command line. */
  name: string
  bin: string
  openStore: typeof openStore
  addDrivers: typeof addDrivers
  secrets: typeof secrets
}

/** This checkout, and those that the command line names. */
export async function openCheckouts(): Promise<Checkout[]> {
  const own = join(import.meta.dirname, '..')
  return Promise.all(
    [own, ...given].map(async (name) => {
      const load = (path: string) => import(join(resolve(name), path))
      return {
        name,
        bin: name === own ? BIN : join(resolve(name), 'packages/server/bin/fleetgate.js'),
        openStore: (await load('packages/server/src/run/compose.ts')).openStore,
        addDrivers: (await load('bench/drive.ts')).addDrivers,
        secrets: await load('packages/server/src/base/access/secret.ts'),
      }
    }),
  )
}
