import { redisContract } from '../../../../testing/live-contract/redis-contract.ts'
import { redisUrl } from '../../../../testing/servers/shared-redis.ts'

redisContract('one Redis', await redisUrl())
