import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { it } from 'node:test'
import pg from 'pg'
import { startPostgres } from './postgres.ts'

it('is a real server that keeps its data over a restart, and leaves no files', async () => {
  const server = await startPostgres({ work_mem: '5MB' })
  try {
    const [url, other] = [await server.database(), await server.database()]
    await ask(url, 'CREATE TABLE kept (a int)')
    await server.restart('immediate')
    assert.deepEqual(await ask(url, 'SELECT count(*)::int AS rows FROM kept'), [{ rows: 0 }])
    assert.deepEqual(await ask(url, 'SHOW work_mem'), [{ work_mem: '5MB' }])
    await assert.rejects(ask(other, 'SELECT * FROM kept'), { code: '42P01' })
  } finally {
    await server.stop()
  }
  assert.equal(existsSync(server.folder), false)
  await assert.rejects(ask(server.url, 'SELECT 1'), { code: 'ECONNREFUSED' })
})

async function ask(connectionString: string, text: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString })
  await client.connect()
  try {
    return (await client.query(text)).rows
  } finally {
    await client.end()
  }
}
