import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { areCredentials, withoutCredentials } from '#shared/domain/investigation/credentials.ts'

const HEX = '0123456789abcdef0123456789abcdef'
const LINE_OF_KEY = `MIIEowIBAAKCAQEA${'aB3/'.repeat(12)}`

describe('credentials in a text', () => {
  it.each([
    ['  password: "hunter2hunter2"', '  password: •••'],
    ["API_KEY = 'abcdef123456'", 'API_KEY = •••'],
    ['clientSecret: abcdef123456,', 'clientSecret: •••,'],
    ['PGPASSWORD=x psql', 'PGPASSWORD=••• psql'],
    ['passwd=x pwd=x db_pwd=x', 'passwd=••• pwd=••• db_pwd=•••'],
    ['Server=db;Uid=sa;Pwd=x;Timeout=3', 'Server=db;Uid=sa;Pwd=•••;Timeout=3'],
    ['password: 123456', 'password: •••'],
    ['DB_PASSWORD=a,b;c', 'DB_PASSWORD=•••;c'],
    ['passwordAdmin=zzz', 'passwordAdmin=•••'],
    ['username_password=hunter2', 'username_password=•••'],
    ['password=hunternull', 'password=•••'],
    ['secret_agent: abcd1234', 'secret_agent: •••'],
    ['HOST_TOKEN_=abcd1234', 'HOST_TOKEN_=•••'],
    ['api_key=abcd', 'api_key=•••'],
    ['api key: abcd1234', 'api key: •••'],
    ['token=abcd1234 token=1234abcdef', 'token=••• token=•••'],
    ['login(user=till, password=abc)', 'login(user=till, password=•••)'],
    ['enter(login(password=abc))', 'enter(login(password=•••))'],
    ['password=a(b) password=a)b1', 'password=••• password=•••'],
    ['{"user":"x","password":"hunter2"}', '{"user":"x","password":•••}'],
    ['{\\"password\\":\\"hunter2\\",\\"a\\":1}', '{\\"password\\":•••,\\"a\\":1}'],
    ['Server=db;User Id=sa;Password=a(b;Timeout=3', 'Server=db;User Id=sa;Password=•••;Timeout=3'],
    ['AccountKey=aGVsbG8=;Suffix=x', 'AccountKey=•••;Suffix=x'],
    ['https://a.example/?token=abcd&b=1', 'https://a.example/?token=•••&b=1'],
    ['orders-db: password=abcdef', 'orders-db: password=•••'],
    ['token_type: password=abc', 'token_type: password=•••'],
    ['password=•••', 'password=•••'],
  ])('are known by the name that they are given to: %s', (text, told) => {
    expect(withoutCredentials(text)).toBe(told)
  })

  it.each([
    ['a word in quotes', 'secret: "changed" token=\\"expired\\"', 'secret: ••• token=•••'],
    ['a word that is given without a blank', 'token=abcdef token:abcdef', 'token=••• token:•••'],
    ['a word that is given to a longer name', 'api_token: abcdef', 'api_token: •••'],
    ['a word with a digit', 'token: abcdef1 token: 1abcdef', 'token: ••• token: •••'],
    ['what looks like code without a blank before it', 'token =request.headers', 'token =•••'],
    ['what begins with a digit', 'password: 1a.bc password: 7f(x', 'password: ••• password: •••'],
    ['what goes on behind members', 'password: ab.cd/12x9', 'password: •••'],
    ['what only begins as a place does', 'password=%sabc1', 'password=•••'],
    ['a quotation mark within', 'password="nu\\"ll" b', 'password=••• b'],
    ['what follows such a mark', "password: 'it\\'s a secret' b", 'password: ••• b'],
    ['a backslash at its end', 'password="a b\\\\" b password="a b\\"', 'password=••• b password=•••'],
  ])('are also %s', (_, text, told) => {
    expect(withoutCredentials(text)).toBe(told)
  })

  it.each([
    ['url: postgres://till:s3cr3t@db:5432/till', 'url: postgres://till:•••@db:5432/till'],
    ['postgres://till:12345@db:5432/till', 'postgres://till:•••@db:5432/till'],
    ['redis://:pa/ss@wo@cache:6379/0', 'redis://:•••@cache:6379/0'],
    [`https://${HEX}@errors.example/1`, 'https://•••@errors.example/1'],
    [`https://a.example/?X-Amz-Signature=${HEX}&b=1`, 'https://a.example/?X-Amz-Signature=•••&b=1'],
    ['https://a.example/?a=1&sig=x%2By&b=1', 'https://a.example/?a=1&sig=•••&b=1'],
    ['https://hooks.slack.com/services/T0/B0/x1', 'https://hooks.slack.com/services/•••'],
    ['Authorization: Bearer abc.def.ghi1', 'Authorization: Bearer •••'],
    ['sent with Bearer  abcdefghijklmnopqrst', 'sent with Bearer  •••'],
    ['authorization: abc12345xyz', 'authorization: •••'],
    ['{"Authorization" :  "abc12345xyz"}', '{"Authorization" :  "•••"}'],
    ['Cookie: session=abc123; theme=dark', 'Cookie: session=•••; theme=dark'],
    ['{"cookie" :  "session=abc123"}', '{"cookie" :  "session=•••"}'],
  ])('are known by what they let in or sign: %s', (text, told) => {
    expect(withoutCredentials(text)).toBe(told)
  })

  it.each([
    ['mysql --password hunter2 -u x', 'mysql --password ••• -u x'],
    ['--token abc', '--token •••'],
    ['sign -passphrase  abc', 'sign -passphrase  •••'],
    ['run --db_admin-passwd abc', 'run --db_admin-passwd •••'],
    ['run --api-key abc --apikey abc', 'run --api-key ••• --apikey •••'],
    ['run --access-key abc --accesskey abc', 'run --access-key ••• --accesskey •••'],
    ['run --secret "two words" x', 'run --secret ••• x'],
    ["run --secret 'two words' x", 'run --secret ••• x'],
    ["ALTER USER x IDENTIFIED BY 'pw'", 'ALTER USER x IDENTIFIED BY •••'],
    ['alter user x identified  by  "p w"', 'alter user x identified  by  •••'],
    [
      "IDENTIFIED  WITH  caching_sha2  BY 'p w' REQUIRE SSL",
      'IDENTIFIED  WITH  caching_sha2  BY ••• REQUIRE SSL',
    ],
    ["ALTER ROLE x PASSWORD  'p w' LOGIN", 'ALTER ROLE x PASSWORD  ••• LOGIN'],
    ['<password>x</password>', '<password>•••</password>'],
    ['<db:admin.token>x</db:admin.token>', '<db:admin.token>•••</db:admin.token>'],
    ['<apikey>x</apikey> <api-key>x</api-key>', '<apikey>•••</apikey> <api-key>•••</api-key>'],
  ])('are known by the command, the statement or the tag that they are given in: %s', (text, told) => {
    expect(withoutCredentials(text)).toBe(told)
  })

  it.each([
    ...['AKIAABCDEFGHIJKLMNOP', 'ASIAABCDEFGHIJKLMNOP', `ghp_${HEX}`, `gho_${HEX}`, `ghu_${HEX}`],
    ...[`ghs_${HEX}`, `ghr_${HEX}`, `github_pat_${HEX}`, `npm_${HEX}`, `pypi-${HEX}`],
    ...[`glpat-${HEX}`, `gldt-${HEX}`, `glrt-${HEX}`, `glptt-${HEX}`, `glcbt-${HEX}`],
    ...[`hvs.${HEX}`, `hvb.${HEX}`, `hvr.${HEX}`, `ya29.${HEX}`, `AIza${HEX}`],
    ...[`xoxb-1-${HEX}`, `xoxp-1-${HEX}`, `xapp-1-${HEX}`],
    ...[`sk_live_${HEX}`, `sk_test_${HEX}`, `rk_live_${HEX}`, `pk_live_${HEX}`],
    ...[`sk-${HEX}`, `SG.${HEX}.${HEX}`, `dop_v1_${HEX}`, `doo_v1_${HEX}`, `dor_v1_${HEX}`],
    ...[`shpat_${HEX}`, `shpca_${HEX}`, `shppa_${HEX}`, `shpss_${HEX}`, `dapi${HEX}`],
    ...[`whsec_${HEX}`, `whsec_MfKQ9r8GKYqrTwjU+/PD8ILP==`, `eyJhbGciOiJIUzI1NiJ9.${HEX}`],
    `eyJhbGciOiJIUzI1NiJ9.${HEX}.x-y`,
    '-----BEGIN RSA PRIVATE KEY-----MIIE',
    '-----BEGIN PRIVATE KEY-----\nMIIE\nabc=\n-----END PRIVATE KEY-----',
  ])('are known by their form: %s', (credential) => {
    expect(withoutCredentials(`key ${credential}`)).toBe('key •••')
  })

  it('end where the block of a private key ends', () => {
    const block = '-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----'
    expect(withoutCredentials(`one ${block} and ${block} two`)).toBe('one ••• and ••• two')
  })

  it('are all hidden, however many a text holds', () => {
    for (const [credential, told] of [
      ['AKIAABCDEFGHIJKLMNOP', '•••'],
      ['AKIAABC…', '•••…'],
      ['-----BEGIN PRIVATE KEY-----\nx\n-----END PRIVATE KEY-----', '•••'],
      ['password=abc', 'password=•••'],
      ['x://u:p@h', 'x://u:•••@h'],
      ['--token abc', '--token •••'],
    ] as const)
      expect(withoutCredentials(`${credential} `.repeat(30))).toBe(`${told} `.repeat(30))
  })

  it('are found where what is hidden joins what stood on both sides of it', () => {
    expect(withoutCredentials('s://token="a b":pw@host')).toBe('s://token=•••')
  })

  it.each([
    ['key = AKIAABC…', 'key = •••…'],
    ['see ghp_abc…', 'see •••…'],
    ['postgres://till:s3c…', 'postgres://till:•••…'],
    ['password: "hunter two…', 'password: •••'],
  ])('are known where the text was cut through them: %s', (text, told) => {
    expect(withoutCredentials(text)).toBe(told)
  })

  it('are known in a line of a private key that stands alone, as it is or quoted', () => {
    expect(withoutCredentials(`  ${LINE_OF_KEY}`)).toBe('  •••')
    expect(withoutCredentials(`${LINE_OF_KEY}  `)).toBe('•••  ')
    expect(withoutCredentials(`  "${LINE_OF_KEY}\\n",`)).toBe('  "•••\\n",')
    expect(withoutCredentials(`'${LINE_OF_KEY}',`)).toBe("'•••',")
  })

  it.each([
    HEX + HEX,
    (HEX + HEX).toUpperCase(),
    `integrity ${LINE_OF_KEY}`,
    `${LINE_OF_KEY} integrity`,
    `${LINE_OF_KEY}=`,
  ])('are not seen in a digest: %s', (text) => {
    expect(withoutCredentials(text)).toBe(text)
  })

  it.each([
    '  secretName: till-db-credentials',
    'SECRET_NAME=till',
    'DB_SECRET_ARN=arn:aws:x',
    'token_ttl: 3600s',
    'token_expires: tomorrow',
    'pwdump: abcdef',
    'apwd=abcdef',
    'passwordFile: /run/secrets/till',
    'pool_size: 5',
    'api_key=abc',
  ])('are not seen where a name only speaks of one, or gives it too little: %s', (text) => {
    expect(withoutCredentials(text)).toBe(text)
  })

  it.each([
    ...['max_tokens: 100', 'tokens=10_000', 'tokens=-1.25k', 'tokens: 12%', '{\\"max_tokens\\":\\"100\\"}'],
    ...[
      'password: null',
      'password: "null"',
      '{\\"token\\":\\"true\\"}',
      'token: string;',
      'token: string))',
      'token: new',
    ],
    ...['token: optional', 'token: optionalString)', 'password={', 'secrets: [', 'password=[{'],
    ...[
      'token=$TOKEN',
      'token=$T2_K',
      `token=$${'{'}TOKEN}`,
      `token: $${'{'}TOKEN}`,
      'token=$(cat',
      'password=$_POST[x]',
    ],
    ...['password=<your-password>', 'password="<your password>"', 'password=%s'],
    ...['const token = request.headers.authorization', 'const token = readToken(request)'],
    ...['f(token = config?.token)', 'token = $this->token;', 'token = Config::TOKEN'],
  ])('are not seen in what is counted, switched, computed or put in later: %s', (text) => {
    expect(withoutCredentials(text)).toBe(text)
  })

  it.each([
    ...[
      'error: invalid token: signature mismatch',
      'unexpected token: fooo',
      'token:  fooo',
      'token: expired.',
    ],
    ...[
      'token: expire',
      'token: unauthorized',
      'token: unauthorised',
      'secrets: rotate what the database uses',
    ],
    ...['secret: update', 'secret: token', 'secret: tokens', 'secret: password', 'secret: passwords'],
    ...[
      'secret: credential',
      'secret: credentials',
      'password: key',
      'secret: keys',
      'api_key: unauthorized',
      'api_key: expire',
      'secret: secret',
    ],
    'MountVolume.SetUp failed for volume "db-secret" : secret "x" not found',
    ...['https://host:443/users/me@example.com', 'https://host:443?to=me@example.com'],
    ...['https://host:443#me@example.com', 'https://host:80', 'https://a.example/?mysig=1&b=2'],
    ...['Basic authentication failed', 'Bearer authentication', 'authorization: required'],
    ...['run --token -u', 'run --token <token>', 'run --token [x]', 'run --token {x}', 'a--token bcdef'],
    ...['cache_key: user:12345678', 'a.b.c=d, e=f', 'the password is wrong', 'sk-short', 'AKIAshort'],
  ])('are not seen in a message about them, nor in what only looks like one: %s', (text) => {
    expect(withoutCredentials(text)).toBe(text)
  })

  it('stay hidden, and nothing else goes, where a text is told again', () => {
    const piece = fc.oneof(
      fc.constantFrom(
        'password',
        'token',
        'api_key',
        'token_ttl',
        '=',
        ': ',
        '"',
        "'",
        '://',
        '@',
        ',',
        ';',
        '&',
        ' ',
      ),
      fc.constantFrom('•••', '…', '\\', '(', ')', '{', '}', 'Bearer ', '--secret ', `ghp_${HEX}`, '\n'),
      fc.string({ maxLength: 8 }),
    )
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
        const told = withoutCredentials(pieces.join(''))
        expect(withoutCredentials(told)).toBe(told)
      }),
      { numRuns: 2_000 },
    )
  })

  it('are hidden whatever stands around them', () => {
    const around = fc.stringMatching(/^[a-z0-9 .,;:(){}[\]<>=-]{0,30}$/)
    const secret = fc.stringMatching(/^[A-Z][a-z]{3}[0-9]{4}[a-z]{4}$/)
    fc.assert(
      fc.property(around, secret, around, (before, value, after) => {
        for (const text of [`password="${value}"`, `api_key=${value}`, `postgres://u:${value}@h/d`])
          expect(withoutCredentials(`${before} ${text} ${after}`)).not.toContain(value)
      }),
      { numRuns: 500 },
    )
  })
})

describe('values of a setting', () => {
  it.each([
    ['db_password', ['old', 'new']],
    ['payments/API_KEY', ['1', '2']],
    ['Rotate the signing secret of checkout', ['v1', 'v2']],
    ['api_token', ['', 'abc']],
    ['client.secret', ['true story', 'x']],
  ])('are credentials by the name %j', (words, values) => {
    expect(areCredentials(words, values)).toBe(true)
  })

  it.each([
    ['token_ttl', ['3600', '60']],
    ['max_tokens', ['100', '10']],
    ['token bucket', ['10', '20k']],
    ['require_password', ['true', ' false ']],
    ['api_token', ['', '""']],
    ['secretName', ['a', 'b']],
    ['db.secretName...', ['a', 'b']],
    ['pool_size', ['50', '5']],
    ['', ['a', 'b']],
  ])('are none by the name %j', (words, values) => {
    expect(areCredentials(words, values)).toBe(false)
  })
})
