import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { runHere } from '../../../testing/command-line/run-here.ts'

describe('attach traccar refuses', () => {
  const cases: readonly [name: string, database: string, said: RegExp][] = [
    [
      'an H2 database, with what to do',
      'jdbc:h2:/opt/traccar/data/database',
      /H2 .* only one process .* Move Traccar to PostgreSQL, MySQL or MariaDB/,
    ],
    ['another kind of database', 'oracle://reader@db.example.com/traccar', /it must be a URL such/],
    ['a URL without a database', 'mysql://reader@db.example.com', /it must be a URL such/],
  ]
  for (const [name, database, said] of cases) {
    it(name, async () => {
      const place = ['--plan', '/nowhere/plan.json', '--database', database]
      const { code, stderr } = await runHere(['attach', 'traccar', ...place])
      assert.equal(code, 2)
      assert.match(stderr, said)
    })
  }
})
