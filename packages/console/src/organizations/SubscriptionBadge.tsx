import type { Organization } from '../api/types.ts'
import { t } from '../language/text.ts'
import { Badge, type BadgeKind } from '../ui/Badge.tsx'

type Subscription = Organization['subscription']

const LOOKS: Record<Subscription, [BadgeKind, string]> = {
  active: ['good', t('Active')],
  inactive: ['plain', t('Inactive')],
  suspended: ['warn', t('Suspended')],
}

export function SubscriptionBadge({ subscription }: { subscription: Subscription }) {
  const [kind, name] = LOOKS[subscription]
  return <Badge kind={kind}>{name}</Badge>
}
