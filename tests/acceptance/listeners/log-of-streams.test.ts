import assert from 'node:assert/strict'
import { request as httpRequest, type IncomingMessage, Agent as PlainAgent } from 'node:http'
import { request as httpsRequest, Agent as TlsAgent } from 'node:https'
import { after, describe, it } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { certificate, hasOpenssl } from '../harness/certificate.ts'
import { startFleet } from '../harness/fleet.ts'
import type { Json } from '../harness/fleetgate.ts'
import { importSeconds, SECONDS_RANGE } from '../harness/import-seconds.ts'
import { PREFIX } from '../harness/organization.ts'

const ROWS = 20_000
const CODINGS = ['identity', 'gzip', 'br', 'zstd']

describe('The log line of a history of many blocks', () => {
  describe('over HTTP', () => testStreams([], undefined))
  describe('over TLS', { skip: hasOpenssl ? false : 'openssl is not installed' }, async () => {
    if (!hasOpenssl) return
    const { ca, args } = certificate()
    await testStreams(args, ca)
  })
})

async function testStreams(args: string[], ca: Buffer | undefined): Promise<void> {
  const fleet = await startFleet({ full: 1, plain: 0 }, args)
  const owner = fleet.full[0]!
  await importSeconds(fleet, owner, ROWS)
  const path = `${PREFIX}/objects/${owner.objects.silent}/positions?${SECONDS_RANGE}`

  function open(keepAlive: boolean, coding: string): Promise<IncomingMessage> {
    const headers = { 'x-api-key': owner.key, 'accept-encoding': coding }
    const [request, Agent] = ca === undefined ? [httpRequest, PlainAgent] : [httpsRequest, TlsAgent]
    const agent = new Agent({ keepAlive })
    after(() => agent.destroy())
    return new Promise((resolve, reject) => {
      request(fleet.server.api + path, { headers, agent, ca } as object, resolve)
        .on('error', reject)
        .end()
    })
  }

  /** Waits for this many log lines of histories. */
  async function logged(count: number): Promise<Json[]> {
    const lines = () => fleet.server.log.filter(({ operation }) => operation === 'listPositions')
    const giveUpAt = performance.now() + 60_000
    while (lines().length < count) {
      assert.ok(performance.now() < giveUpAt, `${lines().length} of ${count} lines`)
      await wait(20)
    }
    return lines()
  }

  for (const keepAlive of [true, false]) {
    const how = keepAlive ? 'kept alive' : 'closed'
    it(`reports no abort after a complete answer on a connection that ${how}`, async () => {
      const before = (await logged(0)).length
      for (const [index, coding] of CODINGS.entries()) {
        const answer = await open(keepAlive, coding)
        for await (const _ of answer) {
        }
        assert.ok(answer.complete)
        const line = (await logged(before + index + 1)).at(-1)
        const fields = [line.status, line.aborted, line.address]
        assert.deepEqual(fields, [200, undefined, '127.0.0.1'], coding)
      }
    })
  }

  it("reports the abort and the client's address if the client disconnects", async () => {
    const before = (await logged(0)).length
    const answer = await open(false, 'identity')
    answer.once('data', () => answer.destroy())
    const line = (await logged(before + 1)).at(-1)
    assert.deepEqual([line.status, line.aborted, line.address], [200, true, '127.0.0.1'])
  })
}
