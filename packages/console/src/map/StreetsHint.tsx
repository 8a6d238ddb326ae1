import { useRights } from '../api/rights.ts'
import type { Server } from '../api/types.ts'
import { Phrase } from '../language/Phrase.tsx'

/** Where streets come from, for those who operate the server, as long as it has none. */
export function StreetsHint({ map }: { map: Server['map'] }) {
  const { changes } = useRights(null)
  if (!changes || map.tiles_url !== null || map.tiles_file !== null) return null
  return (
    <p className="fleetmap-hint">
      <Phrase
        text="To show streets, start the server with <code>--map-tiles</code> and a map file of your region (docs/console.md)."
        parts={{ code: <code /> }}
      />
    </p>
  )
}
