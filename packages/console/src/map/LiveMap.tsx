import type { OrganizationSummary, Server } from '../api/types.ts'
import { Empty } from '../ui/Empty.tsx'

type LiveMapProps = {
  organization: OrganizationSummary
  server: Server
  onOpenObject?: (id: number) => void
}

export function LiveMap({ organization }: LiveMapProps) {
  return <Empty title="The map is not here yet">{`It will show ${organization.name}.`}</Empty>
}
