import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { createRoot } from 'react-dom/client'
import type { OrganizationSummary, Server } from '../../src/api/types.ts'
import { LiveMap } from '../../src/map/index.ts'

/** The console's map with nothing around it: what is measured is the map's own. */
async function show(): Promise<void> {
  const [organization, server] = await Promise.all([
    read<OrganizationSummary>('/admin/v1/organizations/1'),
    read<Server>('/admin/v1/server'),
  ])
  createRoot(document.getElementById('root')!).render(
    <QueryClientProvider client={new QueryClient()}>
      <LiveMap organization={organization} server={server} />
    </QueryClientProvider>,
  )
}

async function read<Answer>(path: string): Promise<Answer> {
  return (await (await fetch(path)).json()) as Answer
}

void show()
