import assert from 'node:assert/strict'
import { appendFileSync, mkdtempSync, readFileSync, rmSync, truncateSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it, type TestContext } from 'node:test'
import { openGrowingFile } from './growing-file.ts'

function newPath(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'fleetgate-pull-'))
  t.after(() => rmSync(folder, { recursive: true }))
  return join(folder, 'file')
}

const contentOf = (path: string) => readFileSync(path, 'utf8')

describe('A file that grows', () => {
  it('is whole at each sync: what was added, and the tail once', async (t) => {
    const path = newPath(t)
    const file = await openGrowingFile(path, 0, ']}')
    assert.equal(contentOf(path), ']}')
    file.add('[ä')
    assert.deepEqual([file.waiting(), file.bytes()], [3, 3])
    await file.sync()
    assert.deepEqual([contentOf(path), file.waiting(), file.bytes()], ['[ä]}', 0, 3])
    file.add(',b')
    await file.sync()
    assert.deepEqual([contentOf(path), file.bytes()], ['[ä,b]}', 5])
    await file.close()
  })

  it('goes on behind what is known of it, whatever a killed process has left there', async (t) => {
    const path = newPath(t)
    for (const left of ['', ']', ']}', 'half a row', 'x'.repeat(10_000)]) {
      rmSync(path, { force: true })
      const first = await openGrowingFile(path, 0, ']}')
      first.add('[a')
      await first.sync()
      await first.close()
      truncateSync(path, 2)
      appendFileSync(path, left)
      const second = await openGrowingFile(path, 2, ']}')
      assert.equal(contentOf(path), '[a]}')
      second.add(',b')
      await second.sync()
      assert.equal(contentOf(path), '[a,b]}')
      await second.close()
    }
  })

  it('is not begun anew in silence where it is gone, or part of it', async (t) => {
    const path = newPath(t)
    await assert.rejects(openGrowingFile(path, 3, ''), /file is gone: put it back/)
    appendFileSync(path, 'ab')
    await assert.rejects(openGrowingFile(path, 3, ''), /file has become shorter/)
    assert.equal(contentOf(path), 'ab')
  })
})
