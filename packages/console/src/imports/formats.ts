export type ImportKind = 'objects' | 'geofences' | 'routes' | 'sites'

const TYPES: Record<string, string> = {
  csv: 'text/csv',
  ndjson: 'application/x-ndjson',
  jsonl: 'application/x-ndjson',
  geojson: 'application/geo+json',
  json: 'application/geo+json',
}

/** The file extensions for a kind of item. */
export function endingsOf(kind: ImportKind): string[] {
  return kind === 'objects'
    ? ['.csv', '.ndjson', '.jsonl']
    : ['.geojson', '.json', '.csv', '.ndjson']
}

/** How the server is told what a file is; undefined where it takes none such. */
export function typeOf(file: File, kind: ImportKind): string | undefined {
  const ending = file.name.split('.').at(-1)?.toLowerCase() ?? ''
  return endingsOf(kind).includes(`.${ending}`) ? TYPES[ending] : undefined
}
