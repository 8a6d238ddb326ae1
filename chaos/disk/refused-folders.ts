import { chmodSync, cpSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { inFolder } from '../../acceptance/harness/deployment.ts'
import { fleetgateJson } from '../../acceptance/harness/fleetgate.ts'
import { serve } from '../../acceptance/harness/server.ts'
import type { Finding } from '../part.ts'
import { refusalToServe } from './refusal-to-serve.ts'
import type { Scene } from './scene.ts'

/** Intact folders that no server may or can serve. */
export async function refusedFolders({ folder }: Scene): Promise<Finding[]> {
  const data = join(folder, 'data')
  await fleetgateJson(['org', 'create', '--name', 'One', '--data', data])
  return [await inUse(data), await ofNewerVersion(data, folder), await ofAnother(data)]
}

async function inUse(data: string): Promise<Finding> {
  const server = await serve(inFolder(data), ['--geocoder', 'off'])
  try {
    const refusal = await refusalToServe(data)
    return refusal.finding('serve a folder that another process serves', data, /another process/)
  } finally {
    await server.stop()
  }
}

async function ofNewerVersion(data: string, scratch: string): Promise<Finding> {
  const newer = join(scratch, 'newer')
  cpSync(data, newer, { recursive: true })
  const database = new DatabaseSync(join(newer, 'fleetgate.db'))
  database.exec('PRAGMA user_version = 99')
  database.close()
  const refusal = await refusalToServe(newer)
  return refusal.finding('serve a folder of a newer version', newer, /newer Fleetgate .*backup/)
}

async function ofAnother(data: string): Promise<Finding> {
  const what = 'serve a folder that belongs to another user'
  const isRoot = process.getuid?.() === 0
  // Root may read anything, and only root can change the user.
  if (!isRoot) chmodSync(data, 0)
  const refusal = await refusalToServe(data, isRoot ? 'nobody' : undefined)
  if (!isRoot) chmodSync(data, 0o700)
  return refusal.finding(what, data, /user/)
}
