/** The layers that the map shows in addition to the vehicles. */
export type Layers = { places: boolean; routes: boolean; names: boolean }

const USUAL: Layers = { places: true, routes: false, names: true }

/** The layers that the address names. Words that name none are ignored. */
export function layersOf(text: string | null): Layers {
  if (text === null) return USUAL
  const words = new Set(text.split(' '))
  return { places: words.has('places'), routes: words.has('routes'), names: words.has('names') }
}

/** The layers in the address. Null: those that are usual. */
export function layersText(layers: Layers): string | null {
  const names = Object.keys(USUAL) as (keyof Layers)[]
  if (names.every((name) => layers[name] === USUAL[name])) return null
  return names.filter((name) => layers[name]).join(' ') || 'none'
}
