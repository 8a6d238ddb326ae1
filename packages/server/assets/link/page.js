/*
 * Reads what the link shows about once a second while the page is visible, and shows it as a list, and on a map where
 * there is WebGL.
 */

const { language, texts, map: mapFiles } = JSON.parse(byId('settings').textContent)
const DATA = `${location.pathname}.json`

const SECOND_MS = 1_000
/** Whether the link has ended is asked this often, if nothing is read. */
const CHECK_MS = 900
/** Other viewers of the link use its window too: the page reads less often when little of it is left. */
const SLOWEST_MS = 15_000
const SCARCE = 12
/** The ways are read whole at this interval. In between the page adds the latest positions. */
const WAY_MS = 60_000
/** A vehicle that was moving has lost its signal after this time. */
const LOST_MS = 5 * 60_000
/** An age is that of the last sign of life after this time. */
const OLD_MS = 2 * 60_000
const MAX_WAY = 5_000
/** No leg of a way is longer: the time between may be outside of what the link shows. */
const LEG_MS = 10 * 60_000
/** A request that takes longer is given up. */
const ANSWER_MS = 10_000

const SHAPES = {
  moving: 'M0 -9 6.5 8 0 4.5 -6.5 8Z',
  idle: 'M0 -6.5A6.5 6.5 0 1 1 -.01 -6.5Z',
  stopped: 'M-6 -6H6V6H-6Z',
  no_signal: 'M-6 -6 6 6M-6 6 6 -6',
  unknown: 'M0 -7 7 0 0 7 -7 0Z',
}

let pace = SECOND_MS
let waysAt = Number.NEGATIVE_INFINITY
let failures = 0
/** How much the server's clock is ahead of this one. */
let aheadMs = 0
let shown
/** Resolves when the page shows what the link shows. */
let hasRead
const firstRead = new Promise((resolve) => {
  hasRead = resolve
})
let ways = []
let map

function byId(id) {
  return document.getElementById(id)
}

function say(text, values) {
  return texts[text].replace(/\{(\w+)\}/g, (_, name) => values[name])
}

async function run() {
  for (;;) {
    if (document.hidden) {
      await new Promise((resolve) =>
        document.addEventListener('visibilitychange', resolve, { once: true }),
      )
      continue
    }
    const startedAt = performance.now()
    const waitMs = await read()
    await pause(Math.max(waitMs - (performance.now() - startedAt), 100))
  }
}

function ask(url, method = 'GET') {
  return fetch(url, { method, signal: AbortSignal.timeout(ANSWER_MS) })
}

/** Between two reads that are further apart, only asks whether the link has ended. */
async function pause(waitMs) {
  const until = performance.now() + waitMs
  for (let rest = waitMs; rest > 0 && !document.hidden; rest = until - performance.now()) {
    await new Promise((resolve) => setTimeout(resolve, Math.min(rest, CHECK_MS)))
    if (shown !== undefined) renderList()
    if (until - performance.now() < CHECK_MS / 4) continue
    await ask(DATA, 'HEAD').then(endIfGone, () => {})
  }
}

function endIfGone({ status }) {
  // The server answers with the page of every link that has ended.
  if (status === 404) location.reload()
}

/** Returns the time until the next read. */
async function read() {
  const isWhole = performance.now() - waysAt >= WAY_MS
  try {
    const response = await ask(isWhole ? DATA : `${DATA}?way=false`)
    endIfGone(response)
    if (response.status === 429) {
      pace = Math.min(pace * 2, SLOWEST_MS)
      const seconds = Number(response.headers.get('retry-after')) || 1
      return Math.max(pace * (0.8 + 0.4 * Math.random()), seconds * SECOND_MS)
    }
    if (!response.ok) throw new Error(response.statusText)
    const remaining = Number(response.headers.get('x-ratelimit-remaining'))
    pace *= remaining < SCARCE ? 1.5 : 0.8
    pace = Math.min(Math.max(pace, SECOND_MS), SLOWEST_MS)
    aheadMs = Date.parse(response.headers.get('date')) - Date.now() || 0
    shown = await response.json()
    failures = 0
    takeWays(isWhole)
    render()
    hasRead()
    return pace
  } catch {
    failures += 1
    if (failures > 1) notify(texts.offline)
    return Math.min(SECOND_MS * 2 ** failures, SLOWEST_MS)
  }
}

function takeWays(isWhole) {
  if (isWhole) {
    waysAt = shown.objects.some(({ way }) => way !== undefined) ? performance.now() : Infinity
    ways = shown.objects.map(({ way }) => way ?? [])
  }
  if (waysAt === Infinity) return
  // Vehicles are known by their places in the list, so another list needs other ways.
  if (ways.length !== shown.objects.length) waysAt = Number.NEGATIVE_INFINITY
  shown.objects.forEach(({ latest }, index) => {
    const way = ways[index]
    if (way === undefined) return
    const time = latest && Date.parse(latest.time)
    const [, , last = 0] = way.at(-1) ?? []
    if (latest && way.length > 0 && time - last > LEG_MS) waysAt = Number.NEGATIVE_INFINITY
    else if (latest && time > last) way.push([latest.longitude, latest.latitude, time])
    if (way.length > MAX_WAY) way.shift()
  })
}

function notify(text) {
  const notice = byId('notice')
  notice.hidden = text === undefined
  notice.textContent = text ?? ''
}

function render() {
  notify()
  const { name, until, left_out: leftOut, objects } = shown
  document.title = name
  byId('name').textContent = name
  const time = new Intl.DateTimeFormat(language, {
    ...{ weekday: 'short', day: 'numeric', month: 'short' },
    ...{ hour: '2-digit', minute: '2-digit', timeZoneName: 'short' },
  }).format(new Date(until))
  byId('until').textContent = say('until', { time })
  if (waysAt !== Infinity) byId('shows').textContent = texts.shows_way
  const more = byId('left-out')
  more.hidden = leftOut === undefined
  if (leftOut !== undefined) {
    const form = new Intl.PluralRules(language).select(leftOut) === 'one' ? 'one' : 'other'
    more.textContent = say(`left_out_${form}`, { count: leftOut })
  }
  if (objects.length === 0) wait(texts.none)
  else renderList()
  map?.show(objects.map(onMap))
}

function wait(text) {
  const line = document.createElement('li')
  line.className = 'wait'
  line.textContent = text
  byId('vehicles').replaceChildren(line)
}

/** Elements stay, so that a focus stays where it is. */
function renderList() {
  const list = byId('vehicles')
  const { objects } = shown
  list.removeAttribute('aria-busy')
  list.querySelector('.wait')?.remove()
  while (list.children.length > objects.length) list.lastChild.remove()
  while (list.children.length < objects.length) list.append(newLine(list.children.length))
  objects.forEach((each, index) => {
    renderLine(list.children[index], each)
  })
}

function newLine(index) {
  const line = document.createElement('li')
  line.innerHTML = `<svg viewBox="-10 -10 20 20" aria-hidden="true" stroke-width="2"><path/></svg>
    <div><button class="show" type="button"></button>
    <p class="status"></p><p class="age"></p><a></a></div>`
  line.querySelector('button').addEventListener('click', () => {
    map?.focus(onMap(shown.objects[index], index))
    if (map !== undefined) byId('map').scrollIntoView({ block: 'nearest', behavior: 'smooth' })
  })
  return line
}

function renderLine(line, { name, latest }) {
  const [button, status, age, place] = ['.show', '.status', '.age', 'a'].map((each) =>
    line.querySelector(each),
  )
  const ageMs = latest && Math.max(0, Date.now() + aheadMs - Date.parse(latest.time))
  const motion = motionOf(latest, ageMs)
  put(button, name)
  put(status, latest === null ? texts.never : statusOf(latest, motion))
  put(age, latest === null ? '' : say(ageMs < OLD_MS ? 'updated' : 'seen', { ago: ago(ageMs) }))
  line.querySelector('path').setAttribute('d', SHAPES[motion])
  line.style.setProperty('--color', `var(--${motion})`)
  place.hidden = latest === null
  if (latest === null) return
  const { latitude, longitude } = latest
  place.href = `geo:${latitude},${longitude}?q=${latitude},${longitude}`
  place.setAttribute('aria-label', say('place', { name }))
  put(place, `${latitude.toFixed(5)}, ${longitude.toFixed(5)}`)
}

function put(element, text) {
  if (element.textContent !== text) element.textContent = text
}

function motionOf(latest, ageMs) {
  const motion = latest?.motion ?? (latest === null ? 'no_signal' : 'unknown')
  return motion === 'moving' && ageMs > LOST_MS ? 'no_signal' : motion
}

function statusOf({ speed, angle }, motion) {
  if (motion !== 'moving' || speed === null) return texts[motion]
  const unit = shown.distance_unit === 'mi' ? 'mile-per-hour' : 'kilometer-per-hour'
  const fast = new Intl.NumberFormat(language, { style: 'unit', unit, maximumFractionDigits: 0 })
  const parts = [texts.moving, fast.format(speed)]
  if (angle !== null) parts.push(texts.directions.split(',')[Math.round(angle / 45) % 8])
  return parts.join(' · ')
}

function ago(ms) {
  const units = [
    ['day', 86_400_000],
    ['hour', 3_600_000],
    ['minute', 60_000],
    ['second', 1_000],
  ]
  const [unit, size] = units.find(([, size]) => ms >= size) ?? units[3]
  const text = new Intl.RelativeTimeFormat(language, { style: 'short' })
  return text.format(-Math.floor(ms / size), unit)
}

function onMap({ name, latest }, index) {
  const ageMs = latest && Date.now() + aheadMs - Date.parse(latest.time)
  return {
    name,
    at: latest && [latest.longitude, latest.latitude],
    angle: latest?.angle ?? null,
    motion: motionOf(latest, ageMs),
    way: (ways[index] ?? []).map(([longitude, latitude]) => [longitude, latitude]),
  }
}

/** Without WebGL, or without the files of the map, the list says everything. */
async function openMap() {
  if (mapFiles === null) return
  const folder = new URL('assets/', location.href)
  for (const style of mapFiles.styles) {
    const link = document.createElement('link')
    link.rel = 'stylesheet'
    link.href = new URL(style, folder)
    document.head.append(link)
  }
  const container = byId('map')
  try {
    const [{ openLinkMap }] = await Promise.all([
      import(new URL(mapFiles.script, folder)),
      firstRead,
    ])
    container.hidden = false
    const base = { tiles_url: null, tiles_file: null, attribution: null }
    map = openLinkMap({ container, name: texts.map, unit: shown.distance_unit, base })
    document.body.classList.add('hasmap')
    map.show(shown.objects.map(onMap))
  } catch {
    container.hidden = true
  }
}

void run()
void openMap()
