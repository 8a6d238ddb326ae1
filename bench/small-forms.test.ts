import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { it } from 'node:test'

type Report = { figures: { name: string; value: number }[] }

/**
 * What a measurement finds in its small form. Beside other tests its figures are rough, so the bars
 * here catch a fall, no more; the scripts without `--small` carry the figures.
 */
function measure(script: string): Promise<(name: string) => number> {
  const args = [join(import.meta.dirname, script), '--small', '--json']
  return new Promise((resolve, reject) => {
    // Exit code 1 is a missed bar of the full form: the figures are printed all the same.
    execFile(process.execPath, args, (error, stdout, stderr) => {
      if (stdout === '') return reject(error ?? new Error(stderr))
      const { figures } = JSON.parse(stdout) as Report
      resolve((name) => {
        const figure = figures.find((each) => each.name === name)
        assert.ok(figure, `${script} tells '${name}'`)
        return figure.value
      })
    })
  })
}

const BY_PROCESSOR = 'the same, for each second of processor time'

it('an object’s detail keeps up with raw node:http, in small', async (context) => {
  const figure = await measure('detail.ts')
  context.diagnostic(`${figure(BY_PROCESSOR).toFixed(2)} of raw`)
  assert.equal(figure('answers other than 200'), 0)
  assert.ok(figure(BY_PROCESSOR) >= 0.25)
})

it('a history is faster than JSON.stringify of row objects, in small', async (context) => {
  const figure = await measure('history.ts')
  context.diagnostic(`${figure(BY_PROCESSOR).toFixed(2)} times`)
  assert.ok(figure(BY_PROCESSOR) >= 1.3)
})
