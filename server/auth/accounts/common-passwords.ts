/** The most common passwords, lower case. */
const list = `
  000000 00000000 010203 101010 102030 111111 1111111 11111111 112233 121212 12121212 123123 123321 12341234 12345
  123456 1234567 12345678 123456789 1234567890 123456789a 123456a 123456q 1234qwer 123654 123abc 123qwe 131313
  147258 147258369 159357 159753 1q2w3e 1q2w3e4r 1q2w3e4r5t 1qaz2wsx 212121 222222 232323 333333 444444 456789
  555555 654321 666666 696969 777777 7777777 789456 789456123 888888 88888888 987654321 999999 99999999 a123456
  a1b2c3 aa123456 aaaaaa aaron abby abc123 abc1234 abcd1234 abcdef abigail academy access access14 account adam
  adelaide adidas admin admin123 administrator adrian airplane alabama alaska albert alejandro alex alexander
  alexandra alexis alfred alice alicia alison allison alpha alyssa amanda amber america american anakin anderson
  andre andrea andreas andrew angel angel1 angels animal anna annie anthony antonio apollo apple apples april
  aragorn archer arizona arsenal arthur asdasd asdf asdf1234 asdfgh asdfghjkl ashley ashley1 asian aspire asshole
  aston athena atlanta audi august aussie austin australia autumn avalon babe baby baby123 babygirl badboy badger
  bailey ballet balloon banana bandit banker barbara barbie barcelona barney baseball basketball bass bassman batman
  bear bears beautiful beauty beaver beckham beer benjamin bernard betty bigboy bigdaddy bigdick bigdog biggie billy
  bingo bird birdie birthday biscuit bitch bitches bitcoin biteme blabla black blackcat blackie blade blaster blazer
  blessed blessing blink182 blonde blood blossom blowjob blue bluebird blueboy bluesky bobby bond007 bondi bonnie
  booboo booger boomer boston bowling bradley brandon brandy brasil braves brazil brenda brian bridget brisbane
  british bronco broncos brooke brooklyn brother brown brownie bruins brutus bubba bubbles buddha buddy buffalo
  bulldog bullet bullshit bunny burger buster butter butterfly butthead cactus caesar california calvin camaro
  camera cameron campbell canada candy cannon captain carlos carmen carolina caroline carpet carrie carter cartman
  casino casper cassie castle catalina catherine champion chance chandler change changeme chargers charles charlie
  charlie1 charlotte cheese chelsea chester chevy chicago chicken chiefs china chloe chocolat chocolate chopper
  chris chrissy christ christian christina christine christmas christopher chronic chuck cinema cinnamon claire
  classic claudia clayton clinton cloud clover cobra cocacola cocaine coco coffee college colorado columbia comet
  compaq computer connie connor contrasena control cookie cookies cooper copper corona corvette cotton country
  courtney cowboy cowboys cowgirl crazy cream cricket crystal cumshot curtis cutie cyclone dakota dallas damien
  dance dancer danger daniel danielle dark darkness darling dave david dawson dead death debbie december deejay
  default dennis denver destiny destroy detroit devil dexter diablo diamond diana dickhead diesel digital dirty
  disney djstudio doctor dodger dodgers dogs dolphin dolphins donald donkey doobie doodle dorothy douglas dragon
  dragons dream dreamer dreams driver drumandbass drummer dubstep duck duke dustin dylan eagle eagles eclipse edward
  einstein electric elephant elijah elizabeth elvis emily eminem emma emmanuel engine england enigma enjoy enter
  eric erica escort eternal eternity europe evil explorer extreme facebook falcon family family1 fantasy fashion
  father fatima february felix fender fernando ferrari fire fireball firebird fireman fish fisher fishing flash
  flipper florida flower flowers fluffy flyers football forest forever formula forsaken france francis francisco
  frank frankie franklin freak freddie freddy frederick free freedom french friday friend friends frog froggy fuck
  fucker fuckme fuckoff fuckyou fuckyou1 galaxy game gamecube gamer games gandalf garden garfield gateway gator
  gemini general genesis genius george georgia gerald german germany getmoney ghost giants gibson gilbert ginger
  girls gizmo glitter global gloria godzilla golden golf golfer good goodboy goodluck google gordon gothic grace
  gracie grand grandma grant great green gregory guest guest123 guitar gunner gustavo hacker hahaha hammer hamster
  handsome hannah hannah1 happy happy1 happyday hardcore hardrock harley harrison harry hawaii hawkeye head heart
  hearts heather heaven hector helena hello hello1 hello123 hellokitty helloworld help hendrix henry hentai hercules
  heroes hiphop history hobbit hockey holiday holly home homer honda honey hooters hope hornet hotdog hotmail hotrod
  hottie house house123 houston howard hummer hunter hunter2 hunting hyundai icecream iceman idontknow iguana
  iloveme iloveu iloveyou iloveyou1 imagine india indian indiana infinity inlove inside internet isabel isabella
  islam island italia jack jackass jackie jackson jacob jaguar jake jamaica james jamie janice january japan jasmin
  jasmine jason jasper jeanette jeff jeffrey jellybean jennifer jeremy jerome jerry jessica jessie jester jesus
  jesus1 jimmy joanna johnjohn johnny johnson joker jonathan jordan jordan1 jordan23 joseph josephine joshua juice
  julia julian julie july june junior juniper jupiter justice justin kaitlyn kangaroo karate karen katherine
  kathleen katie keith kelly kenneth kermit kevin kevin1 killer killer1 kimberly king kingdom kingkong kings kitten
  kitty knight koala kristen kristina lakers lambert laura lauren leather lebron legend lemon leonardo leslie
  letmein letmein1 letmein2 lexus liberty life light lightning lights lilian lincoln linda lindsay linkin lion lions
  little liverpool lizard login lollipop london looking lopez lorenzo louis louise love love123 lovelove lovely
  loveme lover loverboy lovers loveyou lucas lucky lucky7 lucy macbook madison madonna maggie magic magnum mahal
  malcolm manchester mango manuel march margaret maria mariah marie marina marine mario marion marissa marlboro
  marley mars marshall martha martin martinez marvin mary master masters matrix matthew maverick maxwell mayday
  megan melanie melbourne melissa mememe memory mercedes mercury merlin mexico miami michael michael1 michele
  michelle mickey microsoft midnight mike miller minecraft minnie miracle miranda mission mistress mitchell molly
  mommy monday money monica monica1 monika monkey monkeys monster montana moon moonlight moose morgan morpheus
  motdepasse mother motorola mountain mouse movie mozart muffin murphy music music1 mustang mustangs myself myspace
  naked naruto natalia natalie natasha nathan naughty ncc1701 nelson network never newcastle newport newyork
  nicholas nicholas1 nick nicole nicole1 nights nikita nintendo nipples nirvana nissan nobody nokia norman nothing
  november nursing oakland ocean october october1 office oliver olivia online operator orange oranges orlando oscar
  outlaw oxford p@ssw0rd pacific packers paladin pamela panda pandora panther panthers panties papa paris parker
  parola pass pass123 pass1234 passion passport passw0rd password password! password1 password12 password123
  password2 passwort patches patricia patrick paul peace peaches peanut pearl penelope penguin penis people pepper
  pepsi perth peter phantom phillip phoenix phone photos picasso pickle picture piglet pikachu pimpin pineapple pink
  pinky pioneer pirate pirates pizza platinum playboy player please poetry pokemon police polly poohbear pookie poop
  popcorn porn porno porsche portugal power powers precious predator preston prince princess printer private
  property psycho puppy purple pussy python q1w2e3r4 qantas qazwsx qqqqqq quality queen qwaszx qweasd qweasdzxc
  qwer1234 qwert qwerty qwerty1 qwerty123 qwertyuiop rabbit rachel racing radio raider raiders rainbow raindrop
  ramones random ranger rangers raptor raven raymond rebecca rebel redbull reddog redrum redskins redsox redwings
  regina rekordbox remember renault republic rhino ricardo richard ricky robbie robert roberto rocket rocknroll
  rocky rodney rodrigo rolltide romance romeo ronald ronaldo rooster root rosebud roses rosie roxanne ruby runner
  rush2112 russell russia ryan sabrina saints sakura salmon samantha sammy samson samsung samuel sandman sandra
  sandy santana santiago santos sarah sasha saturn savage savanna school scooter scorpio scorpion scotland scott
  scruffy seattle sebastian secret secret1 security senha123 september serato serenity service seven sexsex sexy
  sexyboy sexygirl shadow shadow1 shannon shark sharks sharon shelby shelly sherman shopping shorty sierra silver
  simone simple simpson simpsons skater skipper skippy skyline slayer slipknot smile smith smokey smooth snickers
  sniper snoopy snowball snowman soccer soccer1 softball soldier solomon someone sonic sophia sophie soundcloud
  southern space spanky sparky special speed spencer spider spiderman spirit spitfire spongebob sports spotify
  spring squirrel stalker stanley star starfish stargate starlight stars startrek starwars station steelers stella
  stephanie steve steven stewart sticky stinky stone storm strawberry strike student stupid success sugar summer
  summer1 summers sunday sunflower sunny sunrise sunset sunshine super superman superstar support surfer surfing
  surprise susan suzuki sweet sweetheart sweetie sweetpea swimming swordfish sydney sydney1 sylvia system tamara
  tango target tarheels tatiana taurus taylor teacher technics techno techno1 teddy teddybear teens temp temp123
  tennis teresa test test123 test1234 testing texas theman theone theresa thomas thompson thunder thunderbird
  tiffany tigers tigger timothy tinker tinkerbell titanic titans tomato tomcat tommy topgun toronto toyota tracy
  trains trance transformer travel travis trigger trinity tristan triumph trombone trooper trouble trucks trumpet
  trustno1 tucker turntable turtle tweety twilight twitter tyler undertaker unicorn united universe upload user
  user123 valentina valentine valerie vampire vanessa vanilla vegeta velvet venus veronica victor victoria victory
  viking vikings vincent vinyl violet viper virginia vision volcano voodoo voyager wallace walter warcraft warrior
  warriors water watermelon wedding wednesday weezer welcome welcome1 westside whatever wildcat wildcats william
  williams willie willow wilson windows windsurf winner winnie winston winter wisdom wizard wolf wolfgang wolfpack
  wolverine wolves wonder woody xavier xbox360 xsw2cde3 xxxxxx yahoo yamaha yankee yankees yellow youtube yvonne
  zachary zaq12wsx zebra zeppelin zombie zxcvbn zxcvbnm zzzzzz
`;

export const commonPasswords: ReadonlySet<string> = new Set(list.split(/\s+/).filter((word) => word !== ''));
