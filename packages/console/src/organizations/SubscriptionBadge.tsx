import type { Organization } from '../api/types.ts'
import { Badge, type BadgeKind } from '../ui/Badge.tsx'

type Subscription = Organization['subscription']

const LOOKS: Record<Subscription, [BadgeKind, string]> = {
  active: ['good', 'Active'],
  inactive: ['plain', 'Inactive'],
  suspended: ['warn', 'Suspended'],
}

export function SubscriptionBadge({ subscription }: { subscription: Subscription }) {
  const [kind, name] = LOOKS[subscription]
  return <Badge kind={kind}>{name}</Badge>
}
