/** The example of a CI, as its shell runs it. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { it } from 'node:test'
import { promisify } from 'node:util'
import { freePort } from '../../../packages/server/testing/servers/free-port.ts'
import { embeddedOnly } from '../harness/deployment.ts'
import { BIN, REPOSITORY } from '../harness/fleetgate.ts'
import { temporaryFolder } from '../harness/temporary-folder.ts'

const example = (name: string) => readFileSync(join(REPOSITORY, 'examples/ci', name), 'utf8')

it('The tests of the example pass against a server of its shell', embeddedOnly, async () => {
  const folder = temporaryFolder()
  const port = await freePort()
  const here = (text: string) =>
    text
      .replaceAll('7070', String(port))
      .replaceAll('npx fleetgate', `"${process.execPath}" "${BIN}"`)
      .replaceAll(/\bnode /g, `"${process.execPath}" `)
  writeFileSync(join(folder, 'fleet.test.mjs'), here(example('fleet.test.mjs')))
  const ports = {
    FLEETGATE_PORT: String(port),
    FLEETGATE_ADMIN_PORT: '0',
    FLEETGATE_FEED_PORT: '0',
  }
  const { stdout } = await promisify(execFile)('bash', ['-c', here(example('run.sh'))], {
    cwd: folder,
    env: { ...process.env, ...ports, NODE_TEST_CONTEXT: undefined },
  })
  assert.match(stdout, /pass 3/)
})
