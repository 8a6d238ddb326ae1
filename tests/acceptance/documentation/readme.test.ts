/** The program of README.md. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { it } from 'node:test'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { startFleet } from '../harness/fleet.ts'
import { IDENTS } from '../harness/fleet-data.ts'
import { REPOSITORY } from '../harness/fleetgate.ts'
import { senderOf } from '../harness/sender.ts'
import { temporaryFolder } from '../harness/temporary-folder.ts'

const fleet = await startFleet({ full: 0, plain: 1 })

it('The program of the README prints the positions of yesterday', async () => {
  const organization = fleet.take()
  const sender = await senderOf(fleet, organization)
  const time_device = `${new Date(Date.now() - 86_400_000).toISOString().slice(0, 10)}T12:00:00.000Z`
  await sender.post([
    { ident: IDENTS.van, time_device, latitude: 41.5, longitude: 2.25, speed: 31 },
  ])

  const client = pathToFileURL(join(REPOSITORY, 'packages/client/src/index.ts')).href
  const [, program] = /```ts\n(.*?)```/s.exec(readFileSync(join(REPOSITORY, 'README.md'), 'utf8'))!
  const file = join(temporaryFolder(), 'program.ts')
  const here = program!
    .replace('@fleetgate/client', client)
    .replace('http://127.0.0.1:7070', fleet.server.api)
    .replace('history(1,', `history(${organization.objects.van},`)
  writeFileSync(file, here)
  const env = { ...process.env, FLEETGATE_API_KEY: organization.key, NODE_TEST_CONTEXT: undefined }
  const { stdout } = await promisify(execFile)(process.execPath, [file], { env })
  assert.equal(stdout, `${time_device} 31\n`)
})
