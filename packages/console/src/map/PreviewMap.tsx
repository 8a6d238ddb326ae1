import type { Server } from '../api/types.ts'
import { Empty } from '../ui/Empty.tsx'

type PreviewMapProps = { before: [number, number][]; after: [number, number][]; server: Server }

export function PreviewMap({ before, after }: PreviewMapProps) {
  return (
    <Empty title="The map is not here yet">
      {`${before.length} points before, ${after.length} after.`}
    </Empty>
  )
}
