import { escapeXml } from './xml.ts'

/** The used part of the output of `node --cpu-prof`. */
export type CpuProfile = {
  nodes: {
    id: number
    callFrame: { functionName: string; url: string; lineNumber: number }
    children?: number[]
  }[]
  samples: number[]
  /** Microseconds since the previous sample. */
  timeDeltas: number[]
}

type Frame = {
  name: string
  /** The origin of the code, for its colour. */
  of: 'fleetgate' | 'dependency' | 'node' | 'engine'
  /** Microseconds in the frame and its callees. */
  time: number
  called: Map<string, Frame>
}

const WIDTH = 1200
const ROW_HEIGHT = 18
const TITLE_HEIGHT = 52
const PADDING = 12
const FONT_SIZE = 11
const LETTER_WIDTH = 6.6
/** Narrower frames would be invisible and are omitted. */
const MIN_WIDTH = 3
/** Samples before the first call are start-up, mostly loading of modules, and are omitted. */
const FIRST_REQUEST = 'parserOnHeadersComplete'
const NO_WORK = '(idle)'
const ROOT = '(root)'

const STYLE = `
  text { font: ${FONT_SIZE}px ui-monospace, monospace; fill: #1f2328 }
  .title { font: 600 14px system-ui, sans-serif }
  .background { fill: #ffffff }
  rect { stroke: #ffffff; stroke-width: 0.5 }
  .fleetgate { fill: #8ed1b2 }
  .dependency { fill: #e8c07d }
  .node { fill: #a9c7e8 }
  .engine { fill: #cfd4da }
  @media (prefers-color-scheme: dark) {
    .title, .legend { fill: #e6edf3 }
    .background { fill: #0d1117 }
    rect { stroke: #0d1117 }
  }`

/** Renders a profile as a flame graph in an SVG file, callers above callees. */
export function flameGraph(title: string, profiles: readonly CpuProfile[]): string {
  const all: Frame = { name: 'all', of: 'engine', time: 0, called: new Map() }
  for (const profile of profiles) addTo(all, profile)
  const rows: string[] = []
  const scale = (WIDTH - 2 * PADDING) / all.time
  const depth = drawCalled(all, PADDING, 0, scale, all.time, rows)
  const height = TITLE_HEIGHT + depth * ROW_HEIGHT + PADDING
  const heading = `${title}: ${(all.time / 1e6).toFixed(1)} s of work`
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" role="img" aria-label="${escapeXml(heading)}">
<style>${STYLE}
</style>
<rect class="background" width="${WIDTH}" height="${height}" rx="6"/>
<text class="title" x="${PADDING}" y="20">${escapeXml(heading)}</text>
${legend()}
${rows.join('\n')}
</svg>
`
}

function legend(): string {
  const names = {
    fleetgate: 'Fleetgate',
    dependency: 'dependencies',
    node: 'Node.js',
    engine: 'V8, native',
  }
  return Object.entries(names)
    .map(([of, name], i) => {
      const x = PADDING + i * 130
      return `<rect class="${of}" x="${x}" y="31" width="12" height="12"/><text class="legend" x="${x + 18}" y="41">${name}</text>`
    })
    .join('')
}

/**
 * Adds each sample's time to all frames of its stack. Calls of the same function by the same callers are one
 * frame.
 */
function addTo(all: Frame, { nodes, samples, timeDeltas }: CpuProfile): void {
  const byId = new Map(nodes.map((node) => [node.id, node]))
  const parents = new Map(nodes.flatMap(({ id, children = [] }) => children.map((c) => [c, id])))
  const stacks = new Map<number, Frame[] | null>()

  function stackOf(id: number): Frame[] | null {
    const known = stacks.get(id)
    if (known !== undefined) return known
    const { callFrame } = byId.get(id)!
    const parent = parents.get(id)
    const above = parent === undefined ? [all] : stackOf(parent)
    const isLeftOut = above === null || callFrame.functionName === NO_WORK
    const stack = isLeftOut
      ? null
      : callFrame.functionName === ROOT
        ? above
        : within(above, callFrame)
    stacks.set(id, stack)
    return stack
  }

  const begin = samples.findIndex((id) =>
    stackOf(id)?.some(({ name }) => name.startsWith(FIRST_REQUEST)),
  )
  for (let i = Math.max(0, begin); i < samples.length; i++) {
    for (const frame of stackOf(samples[i]!) ?? []) frame.time += Math.max(0, timeDeltas[i]!)
  }
}

function within(above: Frame[], callFrame: CpuProfile['nodes'][number]['callFrame']): Frame[] {
  const name = nameOf(callFrame)
  const { called } = above.at(-1)!
  let frame = called.get(name)
  if (frame === undefined) {
    frame = { name, of: originOf(callFrame.url), time: 0, called: new Map() }
    called.set(name, frame)
  }
  return [...above, frame]
}

function nameOf({
  functionName,
  url,
  lineNumber,
}: CpuProfile['nodes'][number]['callFrame']): string {
  if (url === '') return functionName
  const file = url.replace(/^.*\//, '')
  return `${functionName === '' ? `line ${lineNumber + 1}` : functionName} ${file}`
}

function originOf(url: string): Frame['of'] {
  if (url.includes('/node_modules/')) return 'dependency'
  if (url.startsWith('node:')) return 'node'
  return url === '' ? 'engine' : 'fleetgate'
}

/** Draws the callees of a frame, the widest first; returns the number of lines. */
function drawCalled(
  { called }: Frame,
  from: number,
  row: number,
  scale: number,
  all: number,
  rows: string[],
): number {
  let depth = row
  let x = from
  for (const frame of [...called.values()].sort((a, b) => b.time - a.time)) {
    const width = frame.time * scale
    if (width < MIN_WIDTH) break
    rows.push(drawFrame(frame, x, row, width, all))
    depth = Math.max(depth, drawCalled(frame, x, row + 1, scale, all, rows))
    x += width
  }
  return Math.max(depth, called.size > 0 ? row + 1 : row)
}

function drawFrame({ name, of, time }: Frame, x: number, row: number, width: number, all: number) {
  const y = TITLE_HEIGHT + row * ROW_HEIGHT
  const share = `${((time / all) * 100).toFixed(1)} %`
  const room = Math.floor((width - 6) / LETTER_WIDTH)
  const label = name.length <= room ? name : room < 4 ? '' : `${name.slice(0, room - 1)}…`
  const text =
    label === '' ? '' : `<text x="${(x + 3).toFixed(1)}" y="${y + 13}">${escapeXml(label)}</text>`
  return `<g><title>${escapeXml(name)}: ${share}</title><rect class="${of}" x="${x.toFixed(1)}" y="${y}" width="${width.toFixed(1)}" height="${ROW_HEIGHT - 1}"/>${text}</g>`
}
