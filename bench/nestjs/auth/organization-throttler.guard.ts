import { type ExecutionContext, Injectable } from '@nestjs/common'
import { ThrottlerGuard } from '@nestjs/throttler'
import type { AuthenticatedRequest } from './authenticated.ts'

/** Counts all requests of an organization, from any client. */
@Injectable()
export class OrganizationThrottlerGuard extends ThrottlerGuard {
  protected override async getTracker({ organization }: AuthenticatedRequest): Promise<string> {
    return `${organization.id}`
  }

  protected override generateKey(_context: ExecutionContext, organization: string): string {
    return organization
  }
}
