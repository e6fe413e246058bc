// What `qs` remembers of objects on the way. The package itself is made for engines without WeakMap, and
// can print whatever it is given. In the place of "side-channel".
module.exports = () => new WeakMap();
