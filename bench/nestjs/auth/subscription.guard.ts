import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common'
import { Refusal } from '../refusal.ts'
import type { AuthenticatedRequest } from './authenticated.ts'

/** For position endpoints. */
@Injectable()
export class SubscriptionGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const { organization } = context.switchToHttp().getRequest<AuthenticatedRequest>()
    if (organization.subscription === 'active') return true
    throw new Refusal(
      403,
      'SUBSCRIPTION.403_002',
      `The subscription is ${organization.subscription}. Please contact the admin.`,
    )
  }
}
