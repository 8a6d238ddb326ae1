import assert from 'node:assert/strict'
import { it } from 'node:test'
import { flameGraph } from './flame-graph.ts'

const frame = (functionName: string) => ({ functionName, url: 'file:///a.ts', lineNumber: 0 })

const root = { ...frame('(root)'), url: '' }

it('omits samples before the first request', () => {
  const svg = flameGraph('a trial', [
    {
      nodes: [
        { id: 1, callFrame: root, children: [2, 3] },
        { id: 2, callFrame: frame('load') },
        { id: 3, callFrame: frame('parserOnHeadersComplete'), children: [4] },
        { id: 4, callFrame: frame('answer') },
      ],
      samples: [2, 4, 3],
      timeDeltas: [9_000_000, 250_000, 250_000],
    },
  ])
  assert.match(svg, /a trial: 0\.5 s of work/)
  assert.match(svg, /<title>answer a\.ts: 50\.0 %/)
  assert.doesNotMatch(svg, /load/)
})

it('gives each frame the time of itself and its callees, without idle time', () => {
  const svg = flameGraph('a trial', [
    {
      nodes: [
        { id: 1, callFrame: root, children: [2, 4] },
        { id: 2, callFrame: frame('caller'), children: [3] },
        { id: 3, callFrame: frame('<called>') },
        { id: 4, callFrame: { ...frame('(idle)'), url: '' } },
      ],
      samples: [2, 3, 4, 3],
      timeDeltas: [250_000, 250_000, 9_000_000, 500_000],
    },
  ])
  assert.match(svg, /a trial: 1\.0 s of work/)
  assert.match(svg, /<title>caller a\.ts: 100\.0 %/)
  assert.match(svg, /<title>&lt;called&gt; a\.ts: 75\.0 %/)
  assert.doesNotMatch(svg, /idle/)
})
