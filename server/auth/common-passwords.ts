/** Passwords that are tried first everywhere; lower case. */
const list = `
  000000 00000000 010203 101010 102030 111111 1111111 11111111 112233 121212 12121212 123123 123321 12341234 12345
  123456 1234567 12345678 123456789 1234567890 123456789a 123456a 123456q 1234qwer 123654 123abc 123qwe 131313
  147258 147258369 159357 159753 1q2w3e 1q2w3e4r 1q2w3e4r5t 1qaz2wsx 212121 222222 232323 333333 444444 456789
  555555 654321 666666 696969 777777 7777777 789456 789456123 888888 88888888 987654321 999999 99999999 a123456
  a1b2c3 aa123456 abc123 abc1234 abcd1234 abcdef access access14 adelaide admin admin123 administrator amanda
  andrew angel angel1 angels arsenal asdasd asdf asdf1234 asdfgh asdfghjkl ashley ashley1 aussie australia autumn
  baby123 babygirl banana baseball basketball batman blessed blessing bondi brisbane buster changeme charlie
  charlie1 cheese chelsea chocolate christ computer contrasena cookie cowboy cowboys cricket daniel december deejay
  default diamond djstudio dragon drumandbass dubstep eagles facebook family february ferrari flower football
  forever freedom friday friends ginger golden goodluck google guest guest123 hannah happy happy1 harley heaven
  hello hello1 hello123 hellokitty hockey hottie house123 hunter hunter2 iloveyou iloveyou1 internet january
  jennifer jessica jesus jesus1 jordan jordan1 jordan23 joshua junior kangaroo killer killer1 koala letmein
  lightning liverpool login london love123 lovelove lovely loveme maggie master matrix matthew maverick melbourne
  mercedes michael michael1 michelle monday monkey motdepasse music music1 mustang newyork nicole nicole1 november
  october orange p@ssw0rd parola pass pass123 pass1234 passw0rd password password! password1 password12 password123
  password2 passwort pepper perth phoenix pioneer pokemon porsche princess purple q1w2e3r4 qantas qazwsx qweasd
  qweasdzxc qwert qwerty qwerty1 qwerty123 qwertyuiop ranger rangers rekordbox robert root samsung scooter secret
  secret1 senha123 serato shadow silver smile snoopy soccer soundcloud spiderman spotify spring starwars storm
  summer summer1 sunshine superman surfer surfing sydney sydney1 technics techno techno1 temp temp123 test test123
  test1234 testing thomas thunder tigger trance trustno1 turntable user user123 vinyl welcome welcome1 whatever
  winter xsw2cde3 yamaha yellow zaq12wsx zxcvbn zxcvbnm
`;

export const commonPasswords: ReadonlySet<string> = new Set(list.split(/\s+/).filter((word) => word !== ''));
