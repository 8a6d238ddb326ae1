import assert from 'node:assert/strict'
import { readFileSync, truncateSync, writeFileSync } from 'node:fs'
import type { IncomingMessage } from 'node:http'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { embeddedOnly } from '../../harness/deployment.ts'
import { assertRefused, resultOf } from '../../harness/envelope.ts'
import { type Fleet, startFleetProcess } from '../../harness/fleet.ts'
import { WHOLE_RANGE } from '../../harness/fleet-data.ts'
import { importSeconds, SECONDS_RANGE } from '../../harness/import-seconds.ts'
import { PREFIX } from '../../harness/organization.ts'
import { openAnswer } from '../../harness/watched-process.ts'

const fleet = await startFleetProcess({ full: 2, plain: 1 })

/** Makes the database unavailable under the running server, and restores it unchanged. */
function takeDatabaseAway({ deployment }: Fleet): { putBack(): void } {
  const files = ['fleetgate.db', 'fleetgate.db-wal'].map((name) => join(deployment.folder!, name))
  const saved = files.map((file) => readFileSync(file))
  for (const file of files) truncateSync(file, 0)
  return {
    putBack() {
      for (const [i, file] of files.entries()) writeFileSync(file, saved[i]!, { flag: 'r+' })
    },
  }
}

describe('When a part is down: database', embeddedOnly, () => {
  it('answers 503 with Retry-After, never an empty list or a 401', async () => {
    const organization = fleet.full[0]!
    const { van } = organization.objects
    const list = await organization.get('/objects')
    resultOf(list)
    const database = takeDatabaseAway(fleet)
    const history = await organization.get(`/objects/${van}/positions?${WHOLE_RANGE}`)
    assertRefused(history, 503, 'ERR999')
    assert.match(history.headers['retry-after']!, /^[1-9]\d*$/)
    for (const path of ['/objects', `/objects/${van}`]) {
      const answer = await organization.get(path)
      if (answer.status === 200) assert.equal([resultOf(answer)].flat()[0].id, van)
      else assertRefused(answer, 503, 'ERR999')
    }
    assert.equal((await organization.get('/ping')).status, 200)
    database.putBack()
  })
})

describe('Answers: a failure after the first byte of a stream', embeddedOnly, () => {
  it('aborts the connection, so the partial answer is not valid JSON; it remains charged', async () => {
    await fleet.restart((server) => server.kill())
    const organization = fleet.full[1]!
    await importSeconds(fleet, organization, 60_000)
    await fleet.run('org', 'update', String(organization.id), '--daily-quota', '5')
    const { silent } = organization.objects
    const path = `/objects/${silent}/positions?${SECONDS_RANGE}`
    const answer = await openAnswer(fleet.server.api + PREFIX + path, organization.key)
    assert.equal(answer.statusCode, 200)
    const database = takeDatabaseAway(fleet)
    const { text, whole } = await readOn(answer)
    database.putBack()
    assert.equal(whole, false)
    assert.ok(text.length > 0)
    assert.throws(() => JSON.parse(text))
    await fleet.restart((server) => server.kill())
    const latest = await organization.get(`/positions/latest?ids=${silent}`)
    assert.equal(latest.headers['x-quota-remaining'], '3')
  })
})

async function readOn(answer: IncomingMessage): Promise<{ text: string; whole: boolean }> {
  let text = ''
  try {
    for await (const chunk of answer) text += chunk
    return { text, whole: answer.complete }
  } catch {
    return { text, whole: false }
  }
}
