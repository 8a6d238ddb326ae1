import type { OrganizationSummary, Server } from '../api/types.ts'
import { Empty } from '../ui/Empty.tsx'

export type PlaceValues = {
  geofence: [number, number][]
  route: [number, number][][]
  site: { latitude: number; longitude: number; radius: number | null } | null
}

export type PlaceEditorProps = {
  [Kind in keyof PlaceValues]: {
    kind: Kind
    organization: OrganizationSummary
    server: Server
    value: PlaceValues[Kind]
    /** The others of its kind, shown beside it. */
    others: PlaceValues[Kind][]
    onChange: (value: PlaceValues[Kind]) => void
  }
}[keyof PlaceValues]

export function PlaceEditor({ kind }: PlaceEditorProps) {
  return <Empty title="The map is not here yet">{`A ${kind} will be drawn here.`}</Empty>
}
