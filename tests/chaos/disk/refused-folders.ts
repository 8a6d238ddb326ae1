import { chmodSync } from 'node:fs'
import { join } from 'node:path'
import { fleetgateJson } from '../../acceptance/harness/fleetgate.ts'
import type { Finding } from '../part.ts'
import { refusalToServe } from './refusal-to-serve.ts'
import type { Scene } from './scene.ts'

/** An intact folder that the user of a server cannot use. */
export async function refusedFolders({ folder }: Scene): Promise<Finding[]> {
  const data = join(folder, 'data')
  await fleetgateJson(['org', 'create', '--name', 'One', '--data', data])
  const what = 'serve a folder that belongs to another user'
  const isRoot = process.getuid?.() === 0
  // Root may read anything, and only root can change the user.
  if (!isRoot) chmodSync(data, 0)
  const refusal = await refusalToServe(data, isRoot ? 'nobody' : undefined)
  if (!isRoot) chmodSync(data, 0o700)
  return [refusal.finding(what, data, /user/)]
}
